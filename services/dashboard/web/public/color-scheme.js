// Runs before the first paint, so that a dark page does not flash white. theme.ts stores the choice under the
// same key.
(() => {
  let wanted = null;
  try {
    wanted = window.localStorage.getItem('color-scheme');
  } catch {
    // Some private windows have no storage: then the system's scheme decides.
  }
  const systemScheme = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.dataset.mantineColorScheme =
    wanted === 'light' || wanted === 'dark' ? wanted : systemScheme;
})();
