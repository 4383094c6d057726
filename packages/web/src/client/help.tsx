import { useEffect, useRef } from "preact/hooks";
import { isHelpOpen } from "./keys.ts";

const keys = [
  ["j k h l", "to the next thing that can be chosen"],
  ["Enter", "opens it"],
  ["/", "search"],
  ["1", "Now"],
  ["2 … 7", "the screens of the team"],
  ["0", "Doctor"],
  ["a  r", "to Approve, to Reject; Enter presses it"],
  ["n  m  g", "new task, message, dependencies"],
  ["Esc", "out of a field"],
  ["?", "this"],
] as const;

/** Which keys there are. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <>
      <button
        type="button"
        class="keys"
        aria-label="Keys"
        onClick={() => {
          isHelpOpen.value = true;
        }}
      >
        ?
      </button>
      <dialog ref={dialog} onClose={close} aria-label="Keys">
        <h2>Keys</h2>
        <dl>
          {keys.map(([key, does]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <button type="button" onClick={close}>
          Close
        </button>
      </dialog>
    </>
  );
}
