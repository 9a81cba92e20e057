import type { Rules, RulesReport } from '@model-gateway/shared/rules';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { RulesOwnerQuery, SaveRulesRequest, SaveRulesResponse } from '../../../../wire/rules.ts';
import { getJson, postJson, withQuery } from '../../api/client.ts';

const rulesKey = ['rules'];
/** What is spent and reserved changes with every request. */
const REFRESH_MS = 5_000;

/** Reads the rules of an owner, those of the levels above it, and what is left of their budgets. */
export function useRules(owner: RulesOwnerQuery) {
  return useQuery({
    queryKey: [...rulesKey, owner],
    queryFn: ({ signal }) => getJson<RulesReport>('/api/rules', { ...owner }, signal),
    refetchInterval: REFRESH_MS,
  });
}

/**
 * Returns a function that replaces the rules of an owner; null removes an end user's own rules. It returns
 * false if a part of the gateway may still use the old ones.
 */
export function useSaveRules(owner: RulesOwnerQuery): (rules: Rules | null) => Promise<boolean> {
  const queryClient = useQueryClient();
  return async (rules) => {
    try {
      const path = withQuery('/api/rules', { ...owner });
      const request: SaveRulesRequest = { rules };
      const { appliedEverywhere } = await postJson<SaveRulesResponse>(path, request);
      return appliedEverywhere;
    } finally {
      // Rules of an account or a team also change what applies to its keys.
      void queryClient.invalidateQueries({ queryKey: rulesKey });
    }
  };
}
