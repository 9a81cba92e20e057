/**
 * Returns the files for language models by their paths on the site: `llms.txt` (https://llmstxt.org) lists
 * the pages, `llms-full.txt` has their texts.
 * @param pages the Markdown of all pages by their paths on the site, the start page first
 */
export function llmsFiles(pages: ReadonlyMap<string, string>): Map<string, string> {
  const home = pages.get('index.md') ?? '';
  const full = [...pages].map(([path, text]) => `<!-- ${path} -->\n\n${text}`);
  return new Map([
    ['llms.txt', home],
    ['llms-full.txt', full.join('\n')],
  ]);
}
