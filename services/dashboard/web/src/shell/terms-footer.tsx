import { Text } from '@mantine/core';
import { TermsLink } from '../session/terms-link.tsx';
import { useSession } from '../session/use-session.ts';

/** Links to the seller's terms at the end of a page; nothing without terms. */
export function TermsFooter() {
  const termsUrl = useSession().data?.termsUrl;
  if (termsUrl == null) return null;
  return (
    <Text component="footer" size="sm" ta="center" mt="xl" py="md">
      <TermsLink url={termsUrl} isAmongLinks />
    </Text>
  );
}
