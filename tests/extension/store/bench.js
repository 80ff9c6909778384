import { openPort } from "/extension/store/store.js";

/** @param {string} database */
export const openStore = (database) => openPort({ database }, { report() {} });
