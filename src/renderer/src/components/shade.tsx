import { Dialog } from 'radix-ui';

/**
 * What lies over the page behind a dialog; a click on it closes that. It alone is to do so: what is in front says
 * `onInteractOutside={(event) => event.preventDefault()}`, since Radix closes at the second click of a double one as well.
 */
export function Shade({ onClick }: { onClick(): void }) {
  return (
    <Dialog.Overlay
      className="fixed inset-0 z-50 bg-shade"
      // The focus stays where it is in the dialog.
      onMouseDown={(event) => event.preventDefault()}
      // The second click of a double one is meant for what has opened it.
      onClick={({ detail }) => detail < 2 && onClick()}
    />
  );
}
