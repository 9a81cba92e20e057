import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** Links to a page of the site within a text. @param state for the page, in the router's history */
export function TextLink({ to, state, children }: { to: string; state?: unknown; children: ReactNode }) {
  return (
    <Anchor component={Link} to={to} state={state} inherit underline="always">
      {children}
    </Anchor>
  );
}
