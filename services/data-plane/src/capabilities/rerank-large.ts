import type { JsonNode, OutlinedResponse } from '@model-gateway/dialects';

export interface LargeResult {
  /** The members to validate; an empty string replaces the unread text. */
  seen: { index: number; relevance_score: number; document: unknown };
  /** Position of the document's text; undefined without one. */
  text: JsonNode | undefined;
}

/** Reads the results without parsing their texts. @returns undefined if there are none */
export function largeResults(answer: OutlinedResponse): LargeResult[] | undefined {
  return answer.entries('results')?.map(({ children }) => {
    const document = answer.member('document', children);
    const text = document?.kind === 'object' ? answer.member('text', document.children) : document;
    return {
      seen: {
        index: numberOf(answer, 'index', children),
        relevance_score: numberOf(answer, 'relevance_score', children),
        document:
          document?.kind === 'object'
            ? { text: placeholderOf(answer, text) }
            : placeholderOf(answer, document),
      },
      text: text?.kind === 'string' ? text : undefined,
    };
  });
}

/** Builds the response; document texts keep the provider's bytes. */
export function resultPieces(
  answer: OutlinedResponse,
  results: readonly LargeResult[],
  frame: { before: object; after: object; documents: readonly string[] | undefined },
): Buffer[] {
  const pieces: Buffer[] = [];
  let json = `${JSON.stringify(frame.before).slice(0, -1)},"results":[`;
  for (const [position, { seen, text }] of results.entries()) {
    const { index, relevance_score } = seen;
    json += `${position === 0 ? '' : ','}${JSON.stringify({ index, relevance_score }).slice(0, -1)}`;
    if (frame.documents !== undefined) {
      json += ',"document":{"text":';
      if (text === undefined) json += JSON.stringify(frame.documents[index] ?? '');
      else {
        pieces.push(Buffer.from(json), ...answer.bytes(text));
        json = '';
      }
      json += '}';
    }
    json += '}';
  }
  pieces.push(Buffer.from(`${json}],${JSON.stringify(frame.after).slice(1)}`));
  return pieces;
}

/** Returns NaN, which every schema rejects, for anything but a number. */
function numberOf(answer: OutlinedResponse, name: string, children: readonly JsonNode[]): number {
  const value = answer.small(name, children);
  return typeof value === 'number' ? value : Number.NaN;
}

function placeholderOf(answer: OutlinedResponse, node: JsonNode | undefined): unknown {
  if (node === undefined) return undefined;
  if (node.kind === 'string') return '';
  if (node.kind === 'array' || node.kind === 'object') return [];
  return answer.value(node);
}
