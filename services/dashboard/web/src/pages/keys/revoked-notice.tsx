import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { RevokeKeyAnswer } from '../../../../wire/keys.ts';

/** Says what has become of a key. It takes the focus, because the pressed button is gone. */
export function RevokedNotice({ name, answer }: { name: string; answer: RevokeKeyAnswer }) {
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => notice.current?.focus(), []);
  return answer.refusedEverywhere ? (
    <Alert ref={notice} tabIndex={-1} role="status" color="green" icon={<IconCheck aria-hidden />}>
      “{name}” is revoked. Every request with it is refused from now on.
    </Alert>
  ) : (
    <Alert ref={notice} tabIndex={-1} role="status" color="orange" icon={<IconAlertTriangle aria-hidden />}>
      “{name}” is revoked, but a part of the gateway could not be reached to confirm it. That part refuses the
      key as soon as it is back. If the key has leaked, tell your operator.
    </Alert>
  );
}
