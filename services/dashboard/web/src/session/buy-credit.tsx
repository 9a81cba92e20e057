import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useSession } from './use-session.ts';

/** Shows the link to where the seller sells credit, if there is one. */
export function BuyCredit() {
  const creditUrl = useSession().data?.creditUrl;
  if (creditUrl == null) return null;
  return (
    <Button
      component="a"
      href={creditUrl}
      target="_blank"
      rel="noreferrer"
      size="xs"
      rightSection={<IconExternalLink size={16} aria-hidden />}
    >
      Buy credit
    </Button>
  );
}
