import type { JsonNode, OutlinedResponse } from '@model-gateway/dialects';

export interface LargeResult {
  /** The members to validate. The text is not read; an empty one stands for it. */
  seen: { index: number; relevance_score: number; document: unknown };
  /** Where its text is; undefined: it has none. */
  text: JsonNode | undefined;
}

/** @returns undefined where there are no results */
export function largeResults(answer: OutlinedResponse): LargeResult[] | undefined {
  return answer.entries('results')?.map(({ children }) => {
    const document = answer.member('document', children);
    const text = document?.kind === 'object' ? answer.member('text', document.children) : document;
    return {
      seen: {
        index: numberOf(answer, 'index', children),
        relevance_score: numberOf(answer, 'relevance_score', children),
        document: document?.kind === 'object' ? { text: standIn(answer, text) } : standIn(answer, document),
      },
      text: text?.kind === 'string' ? text : undefined,
    };
  });
}

/** The answer as the client gets it: its texts are the provider's bytes. */
export function resultPieces(
  answer: OutlinedResponse,
  results: readonly LargeResult[],
  frame: { before: object; after: object; documents: readonly string[] | undefined },
): Buffer[] {
  const pieces: Buffer[] = [];
  let written = `${JSON.stringify(frame.before).slice(0, -1)},"results":[`;
  for (const [place, { seen, text }] of results.entries()) {
    const { index, relevance_score } = seen;
    written += `${place === 0 ? '' : ','}${JSON.stringify({ index, relevance_score }).slice(0, -1)}`;
    if (frame.documents !== undefined) {
      written += ',"document":{"text":';
      if (text === undefined) written += JSON.stringify(frame.documents[index] ?? '');
      else {
        pieces.push(Buffer.from(written), ...answer.bytes(text));
        written = '';
      }
      written += '}';
    }
    written += '}';
  }
  pieces.push(Buffer.from(`${written}],${JSON.stringify(frame.after).slice(1)}`));
  return pieces;
}

/** NaN, which no schema takes, for anything else. */
function numberOf(answer: OutlinedResponse, name: string, children: readonly JsonNode[]): number {
  const value = answer.small(name, children);
  return typeof value === 'number' ? value : Number.NaN;
}

function standIn(answer: OutlinedResponse, node: JsonNode | undefined): unknown {
  if (node === undefined) return undefined;
  if (node.kind === 'string') return '';
  if (node.kind === 'array' || node.kind === 'object') return [];
  return answer.value(node);
}
