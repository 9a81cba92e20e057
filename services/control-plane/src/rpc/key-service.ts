import type { KeyServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';
import { keyMessage } from '../keys/key-message.ts';
import { resolveKey } from '../keys/resolve-key.ts';
import { omitAbsent } from '../omit-absent.ts';
import { getKey } from '../owned-rules/get-key.ts';
import { resolveEndUser } from '../rules/resolve-end-user.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { rulesMessage } from './rules-service.ts';
import { read, traffic } from './unary.ts';
import { watchKeysStream } from './watch-keys-stream.ts';

export function keyService(context: ControlPlaneContext): MethodsOf<KeyServiceHandlers> {
  return {
    ResolveKey: traffic(context, 'ResolveKey', resolveKey),
    GetKey: read(context, 'GetKey', async (_, request) => {
      const { key, report, teamId } = await getKey(context, request);
      return { key: keyMessage(key), ...omitAbsent({ teamId }), rules: rulesMessage(report) };
    }),
    ResolveEndUser: traffic(context, 'ResolveEndUser', resolveEndUser),
    WatchKeys: (call) => watchKeysStream(context, call),
  };
}
