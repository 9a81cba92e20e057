import { Stack, Text } from '@mantine/core';
import { TextLink } from '../../components/text-link.tsx';
import { shellWord } from '../../format/shell-word.ts';
import { MoreCredit } from '../../session/more-credit.tsx';
import { useSession } from '../../session/use-session.ts';
import type { Advice } from './advise-on-error.ts';

/** Shows what to do about a chat that failed or would fail. */
export function AdviceNotice({ advice }: { advice: Advice }) {
  const email = useSession().data?.user?.email;
  const { text, link, needsOperator = false } = advice;
  return (
    <Stack gap="xs">
      <Text size="sm">
        {text} {link !== undefined && <TextLink to={link.to}>{link.label}</TextLink>}
      </Text>
      {needsOperator && email !== undefined && (
        <MoreCredit command={`pools add --account ${shellWord(email)} --usd 5.00 --resets monthly`}>
          Send your operator this command, with the amount that you need.
        </MoreCredit>
      )}
    </Stack>
  );
}
