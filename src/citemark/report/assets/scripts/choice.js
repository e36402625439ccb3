/* What is chosen in a case: a source, one of its metrics, one of the metric's criteria.
 * The views of a case share one choice and are told when it changes.
 */

export function makeChoice() {
  let chosen = { source: null, metric: null, criterion: null };
  const listeners = [];
  return {
    get: () => chosen,
    set(source, metric = null, criterion = null) {
      chosen = { source, metric, criterion };
      listeners.forEach((listener) => listener(chosen));
    },
    /* choosing again what is chosen lets go of it */
    toggleSource(source) {
      this.set(chosen.source === source ? null : source);
    },
    toggleCriterion(source, metric, criterion) {
      const again = chosen.source === source && chosen.metric === metric && chosen.criterion === criterion;
      this.set(source, metric, again ? null : criterion);
    },
    listen(listener) {
      listeners.push(listener);
      listener(chosen);
    },
  };
}
