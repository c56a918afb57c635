/** What the page shows of the device, loaded together. */
export { default as DeviceNotice } from "./DeviceNotice.svelte";
export { default as OwnGames } from "./OwnGames.svelte";
export { default as ServerAccount } from "./ServerAccount.svelte";
export { default as ServerLink } from "./ServerLink.svelte";
