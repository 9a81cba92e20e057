/** @param method with its query, if any */
export function geminiModelPath(upstreamModel: string, method: string): string {
  return `/${geminiResourceName(upstreamModel).split('/').map(encodeURIComponent).join('/')}:${method}`;
}

/** Names of tuned models include their collection: `tunedModels/mine`. */
export function geminiResourceName(upstreamModel: string): string {
  return upstreamModel.includes('/') ? upstreamModel : `models/${upstreamModel}`;
}
