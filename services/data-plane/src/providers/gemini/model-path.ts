/**
 * The path of a method of a model, below the base URL. Tuned models are named with the collection that they
 * are in: `tunedModels/mine`.
 */
export function modelPath(upstreamModel: string, method: string): string {
  const name = upstreamModel.includes('/') ? upstreamModel : `models/${upstreamModel}`;
  return `/${name.split('/').map(encodeURIComponent).join('/')}:${method}`;
}
