export { type TmuxDeps, tmuxBackend } from "./tmux.ts";
