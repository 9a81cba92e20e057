import type { CatalogDocument } from '@model-gateway/shared';
import { RE2JS } from 're2js';

/** Returns the patterns of guardrails that RE2 cannot compile, with their paths. */
export function patternProblems({ guardrails = [] }: CatalogDocument): { path: string; message: string }[] {
  return guardrails.flatMap((guardrail, index) => {
    if (guardrail.kind !== 'patterns') return [];
    return guardrail.patterns.flatMap(({ pattern }, place) => {
      try {
        RE2JS.compile(pattern);
        return [];
      } catch (error) {
        const path = `guardrails[${index}].patterns[${place}].pattern`;
        return [
          { path, message: `is no pattern of RE2: ${error instanceof Error ? error.message : 'invalid'}` },
        ];
      }
    });
  });
}
