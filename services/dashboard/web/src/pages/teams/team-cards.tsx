import { Group, Paper, SimpleGrid, Stack, Title } from '@mantine/core';
import { Link } from 'react-router';
import type { Team } from '../../../../wire/teams.ts';
import { Hint } from '../../components/hint.tsx';
import { countOf, formatCount } from '../../format/format-count.ts';
import { useMay } from '../../session/use-may.ts';
import { RoleBadge } from './role-badge.tsx';
import classes from './teams.module.css';

/** Shows a card per team that links to its page. */
export function TeamCards({ teams }: { teams: readonly Team[] }) {
  const isAdmin = useMay('admin');
  return (
    <SimpleGrid
      cols={{ base: 1, md: 2 }}
      spacing="lg"
      component="ul"
      className="plain-list"
      aria-label="Your teams"
    >
      {teams.map((team) => (
        <Paper key={team.id} component="li" withBorder p="lg" className={classes.card}>
          <Stack gap="sm">
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Title order={2} size="h3" className="break-anywhere">
                <Link to={`/dashboard/teams/${encodeURIComponent(team.id)}`} className={classes.cardLink}>
                  {team.name}
                </Link>
              </Title>
              <RoleBadge role={team.role} />
            </Group>
            <Hint>
              {isAdmin && team.role === 'owner'
                ? `${countOf(team.seats.length, 'seat')} · ${countOf(team.pools.length, 'pool')} · `
                : ''}
              {formatCount(team.requestsPerMinute)} requests a minute
            </Hint>
          </Stack>
        </Paper>
      ))}
    </SimpleGrid>
  );
}
