/* The rubrics in the form that the views of a case take. */

import { getJson } from "./api.js";

export async function rubricTexts() {
  const { rubrics } = await getJson("/api/rubrics");
  return Object.fromEntries(rubrics.map(({ name, title, summary, subscores, bands }) => [name, {
    title, summary, subscores,
    ids: subscores.map(({ id }) => id),
    bands: bands.map((band) => [band.low, band.high, band.name, band.meaning]),
  }]));
}
