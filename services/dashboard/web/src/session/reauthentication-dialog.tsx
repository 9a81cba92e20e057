import { Modal } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { onProofNeeded } from '../api/client.ts';
import { PageLoading } from '../components/page-loading.tsx';
import { loadScript } from '../load-script.ts';

// Loaded when needed: few visits need it.
const ProofOfIdentity = lazy(async () => ({
  default: (await loadScript(() => import('./proof-of-identity.tsx'))).ProofOfIdentity,
}));

/**
 * Asks the user to prove who they are, if the server requires it for an action. The action then continues, or
 * fails if the user cancels.
 */
export function ReauthenticationDialog() {
  const [isOpen, setOpen] = useState(false);
  const asked = useRef<PromiseWithResolvers<boolean> | undefined>(undefined);

  useEffect(() => {
    onProofNeeded(() => {
      // Concurrent calls wait for the same answer.
      asked.current ??= Promise.withResolvers<boolean>();
      setOpen(true);
      return asked.current.promise;
    });
    return () => onProofNeeded(async () => false);
  }, []);

  const finish = (hasProved: boolean) => {
    const waiting = asked.current;
    asked.current = undefined;
    setOpen(false);
    // Waits for the end of this event: else the same Escape would also close the dialog below.
    window.setTimeout(() => waiting?.resolve(hasProved));
  };
  return (
    <Modal
      opened={isOpen}
      onClose={() => finish(false)}
      title="Confirm that it is you"
      centered
      // Above the dialog whose action needs it.
      zIndex={300}
    >
      {isOpen && (
        <Suspense fallback={<PageLoading label="Reading how you can confirm it" />}>
          <ProofOfIdentity onProved={() => finish(true)} onCancel={() => finish(false)} />
        </Suspense>
      )}
    </Modal>
  );
}
