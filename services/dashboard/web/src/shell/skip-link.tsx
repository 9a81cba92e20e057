/** Skips the navigation: the first link that Tab reaches leads to `<main id="main" tabIndex={-1}>`. */
export function SkipLink() {
  return (
    <a href="#main" className="skip-link">
      Skip to the content
    </a>
  );
}
