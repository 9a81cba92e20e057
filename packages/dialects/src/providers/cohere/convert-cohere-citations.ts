import { isObject, type JsonObject } from '../../json/json-object.ts';

/**
 * Converts citations of sources with a `url`; Chat Completions has only annotations of web pages.
 * @param offset start of the cited text in the whole output
 */
export function convertCohereCitations(citations: unknown, offset: number): JsonObject[] {
  const list = Array.isArray(citations) ? citations : [citations];
  return list.filter(isObject).flatMap(({ end, sources, start }) => {
    if (typeof start !== 'number' || typeof end !== 'number' || !Array.isArray(sources)) return [];
    return sources.flatMap((source) => {
      const page = pageOf(source);
      if (page === undefined) return [];
      const place = { start_index: offset + start, end_index: offset + end };
      return [{ type: 'url_citation', url_citation: { ...page, ...place } }];
    });
  });
}

function pageOf(source: unknown): { url: string; title: string } | undefined {
  if (!isObject(source)) return undefined;
  const cited = source.document ?? source.tool_output;
  if (!isObject(cited) || typeof cited.url !== 'string') return undefined;
  const { title, url } = cited;
  return { url, title: typeof title === 'string' ? title : url };
}
