FROM node:22-slim
