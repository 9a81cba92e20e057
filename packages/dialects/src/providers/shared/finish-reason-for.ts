/**
 * Corrects `tool_calls` without calls, for which a client would wait, and `stop` with calls, which a client
 * would not run. Some models send these.
 */
export function finishReasonFor(reason: string, hasCalls: boolean): string {
  if (reason !== 'stop' && reason !== 'tool_calls') return reason;
  return hasCalls ? 'tool_calls' : 'stop';
}
