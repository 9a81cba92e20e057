import { useMediaQuery } from '@mantine/hooks';
import { Panel, type PanelProps } from './panel.tsx';
import { useFolding } from './use-folding.ts';

interface FoldingPanelProps extends Omit<PanelProps, 'fold'> {
  /** The name under which the reader's choice is remembered. */
  name: string;
  /** On a phone a page with many sections is long: there only the important ones begin unfolded. */
  isFoldedOnPhone?: boolean;
}

/**
 * A part of a page that can be folded, so that only its title is shown. A folded part is not rendered, and
 * asks the server for nothing.
 */
export function FoldingPanel({ name, isFoldedOnPhone = false, ...panel }: FoldingPanelProps) {
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [isOpen, toggle] = useFolding(name, !(isPhone && isFoldedOnPhone));
  return <Panel {...panel} fold={{ isOpen, toggle }} />;
}
