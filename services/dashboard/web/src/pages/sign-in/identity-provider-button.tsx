import { Button, Stack } from '@mantine/core';
import { ApiError, postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';

/** Opens the sign-in page of the identity provider, which sends the browser back. */
export function IdentityProviderButton({ name, returnTo }: { name: string; returnTo: string }) {
  const leave = useAction(async () => {
    const { url } = await postJson<{ url?: string }>('/api/auth/sign-in/oauth2', {
      providerId: 'oidc',
      callbackURL: returnTo,
    });
    if (url === undefined) {
      throw new ApiError(`${name} cannot be reached. Try again in a minute, or sign in with your password.`, {
        status: 502,
        code: 'identity_provider_unreachable',
      });
    }
    window.location.assign(url);
  });
  return (
    <Stack gap="sm">
      <ErrorNotice error={leave.error} />
      <Button variant="default" size="md" fullWidth loading={leave.isPending} onClick={leave.run}>
        Continue with {name}
      </Button>
    </Stack>
  );
}
