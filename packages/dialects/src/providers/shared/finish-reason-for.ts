/**
 * Why an answer ended, in the words of Chat Completions. Whether tools are called, the calls themselves say:
 * there are models that end for calls which they have not made, and others that make some and call it a stop.
 * A client would wait for the first, and would not run the second.
 * @param said what the provider says
 */
export function finishReasonFor(said: string, hasCalls: boolean): string {
  if (said !== 'stop' && said !== 'tool_calls') return said;
  return hasCalls ? 'tool_calls' : 'stop';
}
