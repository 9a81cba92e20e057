import type { KeyServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';
import { resolveKey } from '../keys/resolve-key.ts';
import { resolveEndUser } from '../rules/resolve-end-user.ts';
import { traffic } from './unary.ts';
import { watchKeysStream } from './watch-keys-stream.ts';

export function keyService(context: ControlPlaneContext): KeyServiceHandlers {
  return {
    ResolveKey: traffic(context, 'ResolveKey', resolveKey),
    ResolveEndUser: traffic(context, 'ResolveEndUser', resolveEndUser),
    WatchKeys: (call) => watchKeysStream(context, call),
  };
}
