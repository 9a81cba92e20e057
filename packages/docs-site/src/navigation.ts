/** A track of the start page, such as "Try it", and the pages that it lists. */
export interface Track {
  title: string;
  pages: { title: string; path: string }[];
}

/**
 * Reads the navigation from the start page: each heading is a track, each item of its list a page.
 * @param home the Markdown of the start page, whose links lead to files of the site
 */
export function tracksOf(home: string): Track[] {
  const [, ...sections] = home.split(/^## /m);
  return sections.map((section) => ({
    title: section.split('\n', 1)[0] ?? '',
    pages: [...section.matchAll(/^- \[([^\]]+)\]\(\.\/([^)]+\.md)\)/gm)].map(([, title = '', path = '']) => ({
      title,
      path,
    })),
  }));
}
