import type { ScimServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';
import { createScimToken } from '../scim/tokens/create-token.ts';
import { revokeScimToken } from '../scim/tokens/revoke-token.ts';
import { scimTokenMessage } from '../scim/tokens/token-message.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { change, read } from './unary.ts';

export function scimService(context: ControlPlaneContext): MethodsOf<ScimServiceHandlers> {
  return {
    CreateScimToken: change(context, 'CreateScimToken', 'operator', async (actor, request) => {
      const { raw, token } = await createScimToken(context, actor, request);
      return { scimToken: scimTokenMessage(token), token: raw };
    }),
    ListScimTokens: read(context, 'ListScimTokens', async () => ({
      scimTokens: (await context.scimTokenStore.list()).map(scimTokenMessage),
    })),
    RevokeScimToken: change(context, 'RevokeScimToken', 'operator', async (actor, request) =>
      scimTokenMessage(await revokeScimToken(context, actor, request)),
    ),
  };
}
