import { embedText, similarity } from '../embeddings/embed-text.ts';

export interface ScoredDocument {
  index: number;
  /** 0 to 1. */
  score: number;
}

const DIMENSIONS = 256;
const COVERAGE_WEIGHT = 0.8;

/**
 * Sorts documents by relevance, best first; equal ones keep their order. The score depends mostly on how many
 * of the query's words a document has, where rare words count more, and a little on the texts' similarity.
 */
export function scoreDocuments(query: string, documents: readonly string[]): ScoredDocument[] {
  const terms = [...wordsOf(query)];
  const words = documents.map(wordsOf);
  const weights = terms.map((term) => {
    const frequency = words.filter((entry) => entry.has(term)).length;
    return Math.log(1 + documents.length / (1 + frequency));
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const direction = embedText(query, DIMENSIONS);
  const scored = documents.map((document, index) => {
    const found = terms.reduce(
      (sum, term, at) => sum + (words[index]?.has(term) ? (weights[at] ?? 0) : 0),
      0,
    );
    const coverage = total === 0 ? 0 : found / total;
    const closeness = Math.max(0, similarity(direction, embedText(document, DIMENSIONS)));
    const score = COVERAGE_WEIGHT * coverage + (1 - COVERAGE_WEIGHT) * closeness;
    return { index, score: Math.min(1, Number(score.toFixed(6))) };
  });
  return scored.sort((one, other) => other.score - one.score || one.index - other.index);
}

/** Returns the words of a text without the plural s, so that singular and plural match. */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)));
}
