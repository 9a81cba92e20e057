import { expect, it } from 'vitest';
import { isVertexClaude, vertexModelPath } from './vertex-model-path.ts';

it.each([
  ['gemini-3-pro', '/publishers/google/models/gemini-3-pro:generateContent'],
  ['claude-sonnet-4-5@20250929', '/publishers/anthropic/models/claude-sonnet-4-5@20250929:generateContent'],
  ['publishers/google/models/gemini-3-pro', '/publishers/google/models/gemini-3-pro:generateContent'],
  ['endpoints/123', '/endpoints/123:generateContent'],
  ['a b?', '/publishers/google/models/a%20b%3F:generateContent'],
])('the model %s has the path of Vertex AI', (model, path) => {
  expect(vertexModelPath(model, 'generateContent')).toBe(path);
});

it('a model belongs to Anthropic by its name or by its publisher', () => {
  expect(['claude-opus-4-6', 'publishers/anthropic/models/x'].map(isVertexClaude)).toEqual([true, true]);
  expect(['gemini-3-pro', 'publishers/google/models/claude', 'endpoints/1'].map(isVertexClaude)).toEqual([
    false,
    false,
    false,
  ]);
});
