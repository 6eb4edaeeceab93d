export function drawAll() {}
