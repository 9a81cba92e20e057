import { Button, Stack } from '@mantine/core';
import type { SessionResponse } from '../../../../wire/session.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';

interface IdentityProviderButtonProps {
  provider: SessionResponse['identityProviders'][number];
  returnTo: string;
}

/** Opens the sign-in page of an identity provider, which sends the browser back. */
export function IdentityProviderButton({ provider, returnTo }: IdentityProviderButtonProps) {
  const leave = useAction(async () => {
    const request = { providerId: provider.id, callbackURL: returnTo };
    const { url } = await postJson<{ url: string }>('/api/auth/sign-in/oauth2', request);
    window.location.assign(url);
  });
  return (
    <Stack gap="sm">
      <ErrorNotice error={leave.error} />
      <Button variant="default" size="md" fullWidth loading={leave.isPending} onClick={leave.run}>
        Continue with {provider.name}
      </Button>
    </Stack>
  );
}
