console.error("out of memory, or so");
process.exit(7);
