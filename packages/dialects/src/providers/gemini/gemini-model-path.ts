/**
 * The path of a method of a model, below the base URL.
 * @param method with its query, if it has one
 */
export function geminiModelPath(upstreamModel: string, method: string): string {
  return `/${geminiResourceName(upstreamModel).split('/').map(encodeURIComponent).join('/')}:${method}`;
}

/** A tuned model is named with the collection that it is in: `tunedModels/mine`. */
export function geminiResourceName(upstreamModel: string): string {
  return upstreamModel.includes('/') ? upstreamModel : `models/${upstreamModel}`;
}
