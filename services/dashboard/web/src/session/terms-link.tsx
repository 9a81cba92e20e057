import { Anchor } from '@mantine/core';

interface TermsLinkProps {
  url: string;
  /** Omits the underline, which only links in running text need. */
  isAmongLinks?: boolean;
}

/** Links to the seller's terms in a new tab, so that a form that is filled in is not lost. */
export function TermsLink({ url, isAmongLinks = false }: TermsLinkProps) {
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" inherit underline={isAmongLinks ? 'hover' : 'always'}>
      {isAmongLinks ? 'Terms' : 'terms of use'}
    </Anchor>
  );
}
