/**
 * The first link that the Tab key reaches. It jumps past the navigation, to `<main id="main" tabIndex={-1}>`.
 */
export function SkipLink() {
  return (
    <a href="#main" className="skip-link">
      Skip to the content
    </a>
  );
}
