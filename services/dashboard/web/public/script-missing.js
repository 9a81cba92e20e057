// Shows a message if a script is missing: during an update, the page can refer to scripts of another version.
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
