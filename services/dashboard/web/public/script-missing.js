// While the site is being updated, the page and its scripts can be of different versions. Its scripts are
// then gone, and without this message the page would stay empty.
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
