import { useMediaQuery } from '@mantine/hooks';
import { Panel, type PanelProps } from './panel.tsx';
import { useFolding } from './use-folding.ts';

interface FoldingPanelProps extends Omit<PanelProps, 'fold'> {
  /** The name under which the reader's choice is remembered. */
  name: string;
  /** Pages with many sections are long on a phone: there only the important ones are unfolded at first. */
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
