import type { VerifyAuditLogResponseMessage } from '@model-gateway/contracts';

type VerifiedAuditJson = ReturnType<typeof verifiedAuditJson>;

export function verifiedAuditJson({ broken, comparedHeads, events }: VerifyAuditLogResponseMessage) {
  return {
    events: Number(events),
    compared_heads: comparedHeads,
    /** First broken event by chain and position; `id`: null when no event is there. */
    broken: broken && {
      chain: broken.chain,
      position: Number(broken.position),
      id: broken.id ?? null,
      problem: broken.problem,
    },
  };
}

export function verifiedAuditText({ broken, compared_heads, events }: VerifiedAuditJson): string {
  if (broken !== null) {
    const { chain, id, position, problem } = broken;
    return `BROKEN at chain ${chain}, position ${position} (${id ?? 'no event'}): ${problem}\n`;
  }
  const compared = compared_heads === 0 ? '' : `, and match ${compared_heads} logged heads`;
  return `${events} events are intact${compared}.\n`;
}
