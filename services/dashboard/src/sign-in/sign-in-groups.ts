import type { Logger } from '@model-gateway/service-kit';
import { z } from 'zod';
import type { IdentityProvider } from '../config/identity-providers.ts';
import { noteResponse } from './provider-response.ts';

const MAX_GROUPS = 1_000;

/** Some providers send a single group as a text. */
const groupsClaim = z
  .union([z.array(z.string()), z.string().transform((group) => [group])])
  .transform((groups) => groups.slice(0, MAX_GROUPS));

/** Entra ID sends this instead of more than 200 groups. */
const overage = z.union([
  z.looseObject({ _claim_names: z.looseObject({ groups: z.string() }) }),
  z.looseObject({ hasgroups: z.literal(true) }),
]);

/**
 * Notes the groups in the claims of a person. Without the claim, the person has none. If the provider has
 * left them out because they are too many, notes nothing, so that the person keeps what groups gave.
 */
export function noteGroups(log: Logger, { groupsClaim: name, id }: IdentityProvider, profile: object): void {
  const claim = Object.entries(profile).find(([each]) => each === name)?.[1];
  if (claim === undefined && overage.safeParse(profile).success) {
    log.warn(
      { identity_provider: id },
      'the identity provider left out the groups, because they are too many: let it send only those of this app',
    );
    return;
  }
  noteResponse({ groups: { provider: id, names: groupsClaim.catch([]).parse(claim) } });
}
