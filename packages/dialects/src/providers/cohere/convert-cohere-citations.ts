import { isObject, type JsonObject } from '../../json/json-object.ts';

/**
 * Citations as annotations. Chat Completions has a place for those of web pages alone, so those of documents
 * and of results of tools are told where these have a `url`; the texts say the same without the others.
 * @param offset where the text begins in which their places are counted, in all of the answer's text
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
