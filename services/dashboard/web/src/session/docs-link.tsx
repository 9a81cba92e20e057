import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { docsUrl } from './docs-url.ts';
import { useSession } from './use-session.ts';

interface DocsLinkProps {
  children?: ReactNode;
  /** Among links it needs no line to be known as one. */
  isAmongLinks?: boolean;
}

/** Leads to the reference of the API, in a tab of its own: a dialog that is open here may hold something to lose. */
export function DocsLink({ children = 'API reference', isAmongLinks = false }: DocsLinkProps) {
  const apiBaseUrl = useSession().data?.apiBaseUrl;
  if (apiBaseUrl === undefined) return null;
  return (
    <Anchor
      href={docsUrl(apiBaseUrl)}
      target="_blank"
      rel="noreferrer"
      inherit
      underline={isAmongLinks ? 'hover' : 'always'}
    >
      {children}
    </Anchor>
  );
}
