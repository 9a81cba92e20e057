/** Names of Anthropic's models begin with their family: `claude-sonnet-4-5@20250929`. */
export function isVertexClaude(upstreamModel: string): boolean {
  return /^(?:publishers\/anthropic\/models\/|claude-)/.test(upstreamModel);
}

/**
 * @param upstreamModel a name, or a resource: `publishers/google/models/…`, `endpoints/…` of a tuned model
 * @param method with its query, if any
 */
export function vertexModelPath(upstreamModel: string, method: string): string {
  const publisher = isVertexClaude(upstreamModel) ? 'anthropic' : 'google';
  const resource = upstreamModel.includes('/')
    ? upstreamModel
    : `publishers/${publisher}/models/${upstreamModel}`;
  return `/${resource.split('/').map(escaped).join('/')}:${method}`;
}

/** Keeps the `@` before the version of a model: it is legal in a path. */
function escaped(segment: string): string {
  return encodeURIComponent(segment).replaceAll('%40', '@');
}
