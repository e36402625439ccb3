/* Work that is done anew while one types: a moment after the last key, and only the latest
 * counts. What is under way for an older text is given up.
 *
 *   const live = latest(300, async (signal) => ..., (error) => ...)
 *   live.soon()   live.now()   live.stop()
 */

export function latest(wait, work, onError) {
  let timer = null;
  let under = null;

  function stop() {
    clearTimeout(timer);
    under?.abort();
    under = null;
  }

  async function now() {
    stop();
    const mine = new AbortController();
    under = mine;
    try {
      await work(mine.signal);
    } catch (error) {
      if (under === mine && error.name !== "AbortError") onError(error);
    } finally {
      if (under === mine) under = null;
    }
  }

  function soon() {
    stop();
    timer = setTimeout(now, wait);
  }

  return { soon, now, stop };
}
