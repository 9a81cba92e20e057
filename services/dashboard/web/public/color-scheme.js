// Runs before the first paint, so that a dark page does not flash white. The key is the one that the site writes to.
(() => {
  let wanted = null;
  try {
    wanted = window.localStorage.getItem('color-scheme');
  } catch {
    // No storage, as in some private windows: the system decides.
  }
  const systemScheme = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.dataset.mantineColorScheme =
    wanted === 'light' || wanted === 'dark' ? wanted : systemScheme;
})();
