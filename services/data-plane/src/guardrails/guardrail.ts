import type { ToolCall } from '@model-gateway/dialects';
import type { StopSignal } from '@model-gateway/service-kit';
import type { CatalogGuardrail } from '@model-gateway/shared';
import type { AuthenticatedRecord } from '../request-record.ts';

export type Direction = 'request' | 'response';

/** The texts of one check. */
export interface GuardrailInput {
  direction: Direction;
  /** Tool arguments are among them. */
  texts: readonly string[];
  images: readonly string[];
  toolCalls: readonly (ToolCall & { arguments: string })[];
  /** In the form of Chat Completions; undefined: not known, or a response. */
  conversation: { messages: unknown; tools: unknown } | undefined;
  record: AuthenticatedRecord;
}

export type GuardrailVerdict =
  | { action: 'passed' }
  | { action: 'blocked'; reason: string | undefined }
  /** @param texts as many as were given */
  | { action: 'replaced'; texts: readonly string[] };

export const PASSED: GuardrailVerdict = { action: 'passed' };

/** A check of one kind. */
export interface GuardrailCheck {
  /** True if a service makes the check. */
  readonly isRemote: boolean;
  /**
   * @param traceparent for the service; undefined: traces are not exported
   * @throws Error if it could not check
   */
  check(
    input: GuardrailInput,
    signal: StopSignal,
    traceparent?: string,
  ): GuardrailVerdict | Promise<GuardrailVerdict>;
}

export interface Guardrail
  extends Pick<CatalogGuardrail, 'id' | 'when' | 'on_failure' | 'deadline_ms' | 'hold_back'> {
  accounts: 'all' | ReadonlySet<string>;
  check: GuardrailCheck;
}
