import type { RevokeKeyResponse } from '../../../../wire/keys.ts';
import { ResultAlert } from '../../components/focused-alert.tsx';

/** Confirms a revocation. */
export function RevokedNotice({ name, response }: { name: string; response: RevokeKeyResponse }) {
  const { refusedEverywhere } = response;
  return (
    <ResultAlert isCertain={refusedEverywhere}>
      {refusedEverywhere
        ? `“${name}” is revoked. The gateway refuses every request with it.`
        : `“${name}” is revoked, but a part of the gateway could not be reached to confirm it. That part will ` +
          'refuse the key when it is back. If the key has leaked, tell your operator.'}
    </ResultAlert>
  );
}
