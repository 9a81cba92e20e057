import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { RevokeKeyResponse } from '../../../../wire/keys.ts';

/** Confirms a revocation. Takes the focus, because the button that had it is gone. */
export function RevokedNotice({ name, answer }: { name: string; answer: RevokeKeyResponse }) {
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => notice.current?.focus(), []);
  return answer.refusedEverywhere ? (
    <Alert ref={notice} tabIndex={-1} role="status" color="green" icon={<IconCheck aria-hidden />}>
      “{name}” is revoked. The gateway refuses every request with it.
    </Alert>
  ) : (
    <Alert ref={notice} tabIndex={-1} role="status" color="orange" icon={<IconAlertTriangle aria-hidden />}>
      “{name}” is revoked, but a part of the gateway could not be reached to confirm it. That part will refuse
      the key when it is back. If the key has leaked, tell your operator.
    </Alert>
  );
}
