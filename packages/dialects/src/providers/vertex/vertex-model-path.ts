/** Models of Anthropic are named after their family: `claude-sonnet-4-5@20250929`. */
export function isVertexClaude(upstreamModel: string): boolean {
  return /^(?:publishers\/anthropic\/models\/|claude-)/.test(upstreamModel);
}

/**
 * The path of a method of a model, below the base URL.
 * @param upstreamModel its name; or a resource: `publishers/google/models/…`, or the endpoint of a tuned
 *   model, `endpoints/…`
 * @param method with its query, if it has one
 */
export function vertexModelPath(upstreamModel: string, method: string): string {
  const publisher = isVertexClaude(upstreamModel) ? 'anthropic' : 'google';
  const resource = upstreamModel.includes('/')
    ? upstreamModel
    : `publishers/${publisher}/models/${upstreamModel}`;
  return `/${resource.split('/').map(escaped).join('/')}:${method}`;
}

/** The version of a model of Anthropic stands behind an `@`, which a path may have as it is. */
function escaped(segment: string): string {
  return encodeURIComponent(segment).replaceAll('%40', '@');
}
