import { PatientTimer, type StopSignal, StopSwitch } from '@model-gateway/service-kit';
import { GatewayError } from '@model-gateway/shared';
import { guardrailUnavailable, requestBlocked, responseBlocked } from '@model-gateway/shared/errors';
import { logIds } from '../observability/log-ids.ts';
import type { Guardrail, GuardrailInput, GuardrailVerdict } from './guardrail.ts';
import type { Guardrails } from './guardrails.ts';

/**
 * Runs the guardrails in order; each sees the texts as the one before it left them.
 * @returns the texts to pass on
 * @throws GatewayError 403 `content_blocked`, 503 `guardrail_unavailable`; the reason of `signal`
 */
export async function runGuardrails(
  context: Pick<Guardrails, 'log' | 'metrics'>,
  guardrails: readonly Guardrail[],
  input: GuardrailInput,
  signal: StopSignal,
): Promise<readonly string[]> {
  let { texts } = input;
  for (const guardrail of guardrails) {
    const verdict = await runOne(context, guardrail, { ...input, texts }, signal);
    if (verdict.action === 'blocked') {
      const blocked = input.direction === 'request' ? requestBlocked : responseBlocked;
      throw blocked(guardrail.id, verdict.reason);
    }
    if (verdict.action === 'replaced') texts = verdict.texts;
  }
  return texts;
}

async function runOne(
  { log, metrics }: Pick<Guardrails, 'log' | 'metrics'>,
  { check, deadline_ms, id, on_failure }: Guardrail,
  input: GuardrailInput,
  signal: StopSignal,
): Promise<GuardrailVerdict> {
  signal.throwIfAborted();
  const { trace } = input.record;
  const { direction } = input;
  const traced = trace?.startCheck({ guardrail: id, direction, isRemote: check.isRemote });
  // After the first checks, the span of the request is the parent of the service's spans.
  const traceparent = trace?.traceparent(traced?.spanId ?? trace.spanId);
  const startedAtMs = performance.now();
  const report = (outcome: string) => {
    metrics.checks.labels(id, direction, outcome).inc();
    metrics.duration.labels(id).observe((performance.now() - startedAtMs) / 1_000);
    if (traced !== undefined) traced.outcome = outcome;
  };
  const stop = new StopSwitch();
  const onAbort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  const timer = new PatientTimer(deadline_ms, () =>
    stop.abort(new Error(`no verdict within ${deadline_ms} ms`)),
  );
  try {
    const verdict = await Promise.race([
      check.check(input, stop.signal, traceparent),
      whenAborted(stop.signal),
    ]);
    report(verdict.action);
    return verdict;
  } catch (error) {
    signal.throwIfAborted();
    report('failed');
    const facts = { guardrail: id, ...logIds(input.record), direction };
    const reason = error instanceof GatewayError ? error.message : wordsOf(error);
    log.warn({ ...facts, reason, on_failure }, 'a guardrail failed');
    if (on_failure === 'pass') return { action: 'passed' };
    throw guardrailUnavailable(id, error);
  } finally {
    timer.clear();
    signal.removeEventListener('abort', onAbort);
    if (traced !== undefined) traced.endedAtMs = performance.now();
  }
}

/** Never the texts: an error of a parser could quote them. */
function wordsOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'the answer is no JSON';
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error ? ` (${String(error.code)})` : '';
  return `${error.name === 'ZodError' ? 'the answer has another form' : error.message}${code}`;
}

function whenAborted(signal: StopSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
