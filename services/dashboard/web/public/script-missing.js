// The page and its scripts can be of different versions while the site is being updated: then its scripts are gone, and
// without a word the page would stay as it is for good.
window.addEventListener(
  'error',
  ({ target }) => {
    const booting = document.querySelector('.booting');
    if (target instanceof HTMLScriptElement && booting !== null) {
      booting.textContent =
        'This site could not be loaded. Reload the page; if that does not help, tell your operator.';
    }
  },
  true,
);
